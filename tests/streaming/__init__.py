"""The parts of the fault test of the streaming road (`tests/oracle.py`)."""
