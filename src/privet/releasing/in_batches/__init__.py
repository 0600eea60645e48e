"""Releases of tables that are never in memory as a whole: batch by batch, the same law and receipt.

Contract. `checked` looks at a batch and draws nothing; the facts of all batches, added in order,
are what the receipt is made of, and they are what is refused. `drawn` releases a batch; rows are
independent, so the batches together are one release. Both are pure and know no files.
"""
