#pragma once
// What a measurement wants of the machine, and says of it.

#include <string>

namespace headgate::bench {

/// Two measurements at once would disturb each other. Locked until this process ends.
void wait_for_the_machine();
/// As many descriptors as this process may have.
void allow_many_files();
/// "AMD EPYC (2 cores), Linux 6.1.0"
std::string machine();

}  // namespace headgate::bench
