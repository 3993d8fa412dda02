"""The meaning of the tests' flags."""

FLAGS = {
    "Valid": "Valid input; a verifier that rejects it would reject genuine data",
    "OneFlaw": "Valid except for the one flaw that the comment names; a verifier without that rule accepts it",
    "Hostile": "Built to confuse, stop or exhaust a verifier",
    "Odd": "Unusual input that the rules still decide",
    "Boundary": "A value at a limit or next to it",
    "Forged": "Assembled from parts of genuine items, or signed with the wrong key",
    "Confusion": "Tries to choose the algorithm or the key that the verifier uses",
    "Edge": "A corner case of ECDSA arithmetic",
    "Malleable": "The signature with s replaced by n - s, which is valid too",
    "Key": "The public key itself is unusable",
    "Order": "Two flaws; the code shows which check comes first",
    "Undecided": "The caller's configuration does not allow a verdict",
    "Mistake": "A common integration mistake",
    "Damaged": "Bytes were lost or changed",
}
