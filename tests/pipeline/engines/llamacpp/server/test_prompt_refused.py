"""What llama.cpp's server says when it refuses a prompt, and how it is read."""

from pipeline.engines.llamacpp.server.prompt_refused import PromptRefused


def test_what_the_server_has_against_a_prompt_is_said() -> None:
    assert str(PromptRefused.of('{"error":{"message":"too odd","type":"any"}}')) == "too odd"
    assert str(PromptRefused.of("<html>")) == "the language model refused the prompt"
