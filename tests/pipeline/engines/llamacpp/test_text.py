"""What llama.cpp's server writes, and how it is read."""

from pipeline.engines.llamacpp.text import complaint


def test_what_the_server_has_against_a_prompt_is_said() -> None:
    assert complaint('{"error":{"message":"too odd","type":"any"}}') == "too odd"
    assert complaint("<html>") == "the language model refused the prompt"
