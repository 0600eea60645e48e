"""Why the Wasserstein mechanism has no record loss."""

from privet.errors import ParameterError


def no_record_loss() -> ParameterError:
    """The error that says so."""
    return ParameterError(
        "The Wasserstein mechanism has no record loss: its noise hides the listed secrets under "
        "the listed laws, and says nothing of two given series.",
        hint="Use MarkovLaplace where releases are to be added up.",
    )
