#pragma once
// The tables of what attacks do to each proxy.

#include "attacked.hpp"

#include <string>
#include <vector>

namespace headgate::bench {

struct AttackRow {
  std::string name;
  std::string does;
  std::vector<Suffered> of;  ///< as the names
};

/// As Markdown: what each attack is, then CPU, memory and the bystander's waits. A figure of the first proxy that is
/// more than a tenth above the lowest is bold. The last row is `quiet`, where nobody attacks.
std::string tables_of(const std::vector<std::string>& names, const std::vector<AttackRow>& rows,
                      const AttackRow& quiet);

}  // namespace headgate::bench
