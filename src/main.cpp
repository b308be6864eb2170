#include "headgate/cli/main.hpp"

int main(int count, char** words) { return headgate::cli::main(count, words); }
