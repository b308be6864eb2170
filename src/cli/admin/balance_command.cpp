// Implements headgate balance: reads and tops up the balance of a key through a running gateway.

#include "admin_call.hpp"
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace headgate::cli {
namespace {

struct BalanceOptions {
  AdminOptions admin;
  std::string limit;
  std::string key;
  std::int64_t add = 0;
  std::string id;
};

AdminRequest balance_request(const BalanceOptions& options) {
  if (options.add == 0)
    return {.target = "/api/v1/balances?limit=" + in_path(options.limit) + "&key=" + in_path(options.key)};
  Json body = {{"limit", options.limit}, {"key", options.key}, {"add", options.add}};
  if (!options.id.empty()) body["id"] = options.id;
  return {.method = "POST",
          .target = "/api/v1/balances",
          .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

void print_balance(const Json& answer) {
  print_line(text_in(answer, "key") + " has " + text_in(answer, "balance") + " under " + text_in(answer, "limit") +
             (answer.contains("repeated") ? ": this id was used before, so nothing was added" : ""));
}

}  // namespace

void offer_balance(CLI::App& app, int& result) {
  const auto options = std::make_shared<BalanceOptions>();
  auto* command = app.add_subcommand("balance", "Show the balance of a key, or add to it");
  offer_admin(*command, options->admin);
  command->add_option("limit", options->limit, "The limit's name")->required();
  command->add_option("key", options->key, "The key, or its id (k_…): an API key's owner, an address …")->required();
  auto* add = command->add_option("--add", options->add, "The amount to add; below 0 to take back");
  command
      ->add_option("--id", options->id,
                   "A name of this top-up, as in invoice-7: a second one with the name adds nothing")
      ->needs(add);
  command->callback(
      [options, &result] { result = call_and_print(options->admin, balance_request(*options), print_balance); });
}

}  // namespace headgate::cli
