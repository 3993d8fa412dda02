"""What the flags of the tests mean."""

FLAGS = {
    "Valid": "Nothing is wrong; refusing it would refuse genuine data",
    "OneFlaw": "Everything is right except the one thing in the comment; a verifier without that rule accepts it",
    "Hostile": "Made to confuse, stop or exhaust a verifier",
    "Odd": "Unusual, and right all the same",
    "Boundary": "The last value on one side of a limit",
    "Forged": "Built from parts of genuine items, or signed by somebody else",
    "Confusion": "Tries to choose the algorithm or the key for the verifier",
    "Edge": "A corner of the arithmetic of ECDSA",
    "Malleable": "Another octet string for the same signature",
    "Key": "The public key itself is not one for ES256",
    "Order": "Two things are wrong; the code says which of them comes first",
    "Undecided": "The caller's setting does not allow a verdict",
    "Mistake": "What integrators do wrong by accident",
    "Damaged": "Octets were lost or changed",
}
