"""Finished sentences, by language: none of them may be taken for one that goes on."""

import pytest

from pipeline.speech.sentences.sentence_words import unfinished, words_over

FINISHED = {
    "en": [
        *("What is this for?", "Where are you from?", "What is it made of?", "Who are you going with?"),
        *("I want to.", "I think so.", "Yes, it is.", "How long is it?", "How long was it?", "How old are you?"),
        *("Who is he?", "Neither do I.", "You and I.", "What about you?", "Is that it?", "Turn it on."),
        *("Turn the lights off.", "Come in.", "What if?", "As if!", "Because.", "Oh my!", "And?", "Vitamin A."),
        *("Tell me about AI.", "The one on the left is mine.", "Stop.", "Stop the music.", "No."),
        *("What is 17 plus 25?", "It is 7.", "It was in 1998.", "The code was written in 1998."),
        *("Two.", "At 8.", "I'll take number 42."),
        *("The number of guests is 14.", "One minute.", "See you in a moment.", "Can you wait for me?"),
        *("Wait, what?", "I will wait.", "Do you know?", "Tell me.", "Tell me a joke."),
        *("Could you tell me the time?", "My lucky number is 7.", "Go to example.com."),
        *("Not for the faint of heart.", "So do they.", "I know what you mean.", "Put milk on my list."),
        *("It costs 12,500.", "Well, that's that.", "Let's."),
        *("Let me see. Yes.", "Let me think. No.", "Wait, yes.", "Hold on. Okay.", "Wait, no."),
        *("A second.", "One second.", "Hmm?", "Uh?", "Can you explain?", "Yes. I'd like to know."),
        *("What is the capital of France? Could you tell me?", "What's German for and?", "Option a.", "With an a."),
        *("How do you spell because?", 'Play "Wait".', 'Say "wait".', "Translate 'one moment'.", "Play “Hold On”."),
        *("The code is on page 42.", "My phone is in room 12.", "The phone is 300.", "My phone is an iPhone 12."),
        *("The number is between 10 and 20.", "The number is about 500.", "My room number is 101."),
        *("My zip code is 90210.", "My number is 0171 2345 678.", "0171 23456789.", "1-800-555-0199."),
        *("My IBAN is DE89 3704 0044 0532 0130 00.", "DE89 3704 0044 0532 0130 00.", "Emergency number is 112."),
        *("His number is 23.", "The number that I want is 42.", "My phone is at 20 %.", "The phone is 300 €."),
        *("01/02/1998.", "2024-01-05.", "01/02.", "0-2.", "100000.", "250000.", "100 000.", "1 000 000."),
        *("One, two, three.", "Three, two, one.", "1, 2, 3.", "The code is 123456."),
        *("Well?", "So?", "You did well.", "I think so. Well.", "I.", "Well!", "Well, well, well!", "But!"),
        *("Let me think... Right.", "The pin is at 10.", "My PIN is 1234.", "250 000 €."),
    ],
    "de": [
        *("Mach das Licht an.", "Mach das Licht aus.", "Hör auf.", "Wann fährt der Zug ab?", "Mach die Tür zu."),
        *("Komm mit.", "Steig ein.", "Dreh dich um.", "Wo kommst du her?", "Was ist das?", "Ich will das."),
        *("Kennst du die?", "Das ist es.", "Und du?", "Und?", "Größer als ich.", "Danke sehr."),
        *("Kommst du heute, oder?", "Weil.", "Was machst du damit?", "Ja.", "Ich nehme eine.", "Mit oder ohne?"),
        *("Was ist los?", "Es ist 7.", "Wie viel ist 17 plus 25?", "Um 8.", "Eine Minute.", "Warte auf mich."),
        *("Bis gleich.", "Im Moment nicht.", "Das findet morgen statt.", "Ich nehme Nummer 42.", "Je nachdem."),
        *("Kannst du mir sagen, wie spät es ist?", "Nein.", "Stopp.", "Und ob!", "Wer bin ich?"),
        *("Das steht bevor.", "So wie du."),
        *("Moment, ja.", "Warte. Nein.", "Warte, stopp.", "Mal sehen, ja.", "Lass mich überlegen. Ja."),
        *("Na und?", "Na, und?", "Ja, und?", "Ach ja, und?", "Was wäre, wenn?", "Und wenn?", "Was für?"),
        *("Mit meinem.", "Mit deinem.", "Nach seinem.", "Mit ihrem.", "Ich nehme zwei von jedem.", "Äh?"),
        *("Mein Handy ist von 2019.", "Mein Handy ist bei 20 %.", "Meine Hausnummer ist 23."),
        *("Die Hausnummer ist 101.", "Die PIN ist 1234.", "Die Notrufnummer ist 112.", "Meine Glückszahl ist 13."),
        *("Meine Telefonnummer ist 0171 2345 6789.", "Drei, zwei, eins.", "Was heißt weil?", "Übersetze weil."),
        *("Eine Sekunde.", "Die Tischnummer ist 12."),
    ],
    "fr": [
        *("Qu'est-ce que c'est ?", "Quelle heure est-il ?", "Où vas-tu ?", "Prends-le.", "Donne-les.", "Oui."),
        *("Parce que.", "Je suis pour.", "Je viens avec.", "On fait sans.", "J'en veux un.", "Il en a.", "Vas-y."),
        *("Allez-vous en.", "Et ?", "Il est 7.", "Combien font 17 et 25 ?", "En 1998.", "Une minute."),
        *("Attends-moi.", "À quelle heure ?", "Merci beaucoup.", "Peux-tu me dire l'heure ?"),
        *("Je prends le numéro 42.", "Où est-il ?", "Mais si !", "Tel quel.", "Je ne sais pas.", "D'accord."),
        *("Que dois-je faire ?", "Le contrat est au Mans.", "Dis-moi.", "Arrête.", "Comme ça.", "Monte le son."),
        *("Attends, oui.", "Je réfléchis. Oui.", "Voyons, non.", "Une seconde.", "Je cherche."),
        *("Prends le.", "Ouvre les.", "Prends en.", "Où suis je ?", "Que puis je ?", "Deux euros chaque."),
        *("C'est le votre.", "Euh ?", "Mon téléphone est à 20 %.", "Mon portable est un iPhone 15."),
        *("Le code est le 42.", "Ça coûte 250 000 €.", "150 000.", "Un, deux, trois.", "Comment dit-on mais ?"),
        *("Non merci, je regarde.", "Un de chaque.", "Le numéro est 42.", "Comment on écrit ses ?"),
    ],
    "es": [
        *("¿Qué es?", "¿De dónde eres?", "¿Para qué?", "¿Para que?", "¿Por qué?", "¿Y tú?", "¿Y tu?"),
        *("Es para mí.", "Es para mi.", "El tren no para.", "Para.", "Dame una.", "Sí.", "No.", "Voy ahí."),
        *("¿Con o sin?", "Porque sí.", "Porque.", "Según.", "Son las 7.", "¿Cuánto es 17 más 25?", "En 1998."),
        *("Un minuto.", "Espérame.", "Espera a tu hermana.", "Vitamina A.", "¿Me puedes decir la hora?"),
        *("Quiero el número 42.", "¿Y?", "Muchas gracias.", "No lo sé.", "No se.", "Vale.", "¿Cómo está?"),
        *("Ya está.", "¿Quién es?", "Apágalo.", "Punto com."),
        *("A ver, sí.", "Espera, no.", "Un momento. Sí.", "Un segundo.", "Es para el.", "¿Quién es el?", "Con el."),
        *("Cinco euros cada.", "Uno de cada.", "No sé porque.", "No hay de que.", "La letra e."),
        *("¿Cómo se dice pero?", "Uno, dos, tres.", "Acaba en e."),
        *("Mi móvil es un iPhone 15.",),
    ],
    "it": [
        *("Che cos'è?", "Di dove sei?", "Perché?", "Che ore sono?", "Che?", "Non c'è di che.", "Vieni su."),
        *("È mio.", "Sì.", "Si.", "Ne voglio una.", "Vai là.", "Vai la.", "E tu?", "E?", "Va bene.", "Sono le 7."),
        *("Quanto fa 17 più 25?", "Nel 1998.", "Un minuto.", "Aspettami.", "Aspetta tua sorella."),
        *("Mi puoi dire l'ora?", "Prendo il numero 42.", "Dillo.", "Con o senza?", "Non lo so.", "Parlami di AI."),
        *("Grazie mille.", "Anche io.", "Dimmi.", "Spegnila.", "Chi è?", "Basta."),
        *("Aspetta, sì.", "Un attimo. Sì.", "Fammi pensare. Sì.", "Ma dai!", "Va bene, dai.", "Quanto mi dai?"),
        *("Dalle.", "Grazie fra.", "Non so che.", "Boh, non so che.", "Non so chi e.", "R, O, S, S, I."),
        *("Il telefono è al 20 %.", "Come si dice ma?"),
        *("Dagli.", "Finisce in I."),
    ],
    "pt": [
        *("O que é isso?", "O que?", "De onde és?", "Por quê?", "Por que?", "Para quê?", "Só quero um."),
        *("O comboio não para.", "Para.", "Diz-me.", "Faz-o.", "Vê-la.", "Sim.", "Não.", "Com ou sem?"),
        *("Porque sim.", "Porque.", "E tu?", "E?", "Tudo bem.", "São 7.", "Quanto é 17 mais 25?", "Em 1998."),
        *("Um minuto.", "Espera por mim.", "Podes dizer-me as horas?", "Pera.", "Quero o número 42."),
        *("Exemplo ponto com.", "O e-mail é ana@exemplo.com.", "Não sei o que.", "Obrigado.", "Que horas são?"),
        *("Vitamina A.", "Pode ser.", "Quem é?", "Até já.", "Está bom."),
        *("Um momento. Sim.", "Deixa eu ver. Não.", "Espera, não.", "Cinco euros cada.", "Um de cada."),
        *("Desliga o.", "Abre a.", "Fecha os.", "Não há de que.", "Letra e.", "Meu celular é um iPhone 15."),
        *("Não sei porque.",),
    ],
    "": [
        *("What is this for?", "Mach das Licht an.", "Und du?", "J'en veux un.", "¿Y tú?", "Vai là."),
        *("What can I do?", "Who am I?", "Was ist los?"),
        *("Dreh dich um.", "Quero um.", "Let me see. Yes.", "Hmm?", "Um segundo.", "Na und?", "01."),
    ],
    "nl": [
        *("Doe het licht aan.", "Wat is de?", "Ik wil die.", "Wat is het?"),
    ],
}  # fmt: skip
CASES = [(language, text) for language, texts in FINISHED.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), CASES)
def test_it_is_over(language: str, text: str) -> None:
    assert (words_over(text, language), unfinished(text, language)) == (True, None)


def test_each_language_has_enough_of_them() -> None:
    assert all(len(set(FINISHED[language])) >= 12 for language in ("en", "de", "fr", "es", "it", "pt"))


@pytest.mark.parametrize(
    ("text", "language"), [("Paris", "en"), ("Half past", "en"), ("A", "en"), ("Licht an", "de"), ("In Berlin", "de")]
)
def test_a_word_or_two_without_a_mark_may_be_all(text: str, language: str) -> None:
    assert (words_over(text, language), unfinished(text, language)) == (None, None)
