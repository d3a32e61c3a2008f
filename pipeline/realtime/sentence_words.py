"""Whether words end a sentence, as the pipeline itself judges it, for who takes turns by its partials."""

from pipeline.speech.sentences import sentence_words

Unfinished = sentence_words.Unfinished
ends_sentence = sentence_words.ends_sentence
is_marked = sentence_words.is_marked
is_short = sentence_words.is_short
unfinished = sentence_words.unfinished
words_over = sentence_words.words_over
