"""Generates the files of TestVectors/ with an implementation that shares no code with the package."""
