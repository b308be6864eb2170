#include "key_groups.hpp"

#include "headgate/identity/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace headgate::cli {

std::pair<std::string_view, std::string_view> group_in(std::string_view written) noexcept {
  const auto equals = std::min(written.find('='), written.size());
  return {written.substr(0, equals), written.substr(std::min(equals + 1, written.size()))};
}

void offer_groups(CLI::App& command, std::vector<std::string>& groups) {
  command.add_option("--group", groups, "A group of the key, as in team=search, by which limits can count; repeatable")
      ->check(CLI::Validator(
          [](const std::string& written) {
            const auto [name, value] = group_in(written);
            return identity::is_group_name(name) && identity::is_group_value(value)
                       ? std::string()
                       : "write the name and the value of a group, as in team=search";
          },
          "NAME=VALUE"));
}

}  // namespace headgate::cli
