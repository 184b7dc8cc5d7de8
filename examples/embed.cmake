# Writes OUTPUT, a header whose string `NAME` is the text of INPUT: a program can show the source it was built from.
file(READ "${INPUT}" TEXT)
file(WRITE "${OUTPUT}" "#include <string>\ninline const std::string ${NAME} = R\"source(${TEXT})source\";\n")
