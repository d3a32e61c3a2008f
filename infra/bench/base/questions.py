"""What is asked when latency is measured: twenty short questions, as people put them."""

QUESTIONS = (
    "What is the capital of France?",
    "How many days are there in a week?",
    "Which planet is closest to the sun?",
    "What do bees make?",
    "How many legs does an ant have?",
    "What is the largest ocean on Earth?",
    "Who wrote Romeo and Juliet?",
    "What is seven plus five?",
    "At what temperature does water boil?",
    "What is the opposite of hot?",
    "Which animal is known as the king of the jungle?",
    "What color do you get when you mix blue and yellow?",
    "How many months have thirty one days?",
    "What is the capital of Japan?",
    "What do you call frozen water?",
    "Which language is spoken in Brazil?",
    "How many minutes are there in an hour?",
    "What is the tallest animal in the world?",
    "Who painted the Mona Lisa?",
    "What is the capital of Italy?",
)
LONG_ANSWER = "Please count to forty."
INTERRUPTION = "Wait a moment. What is the capital of Spain?"
