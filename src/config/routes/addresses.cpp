// The addresses from which routes may be used.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/gateway/address_rules.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr Shape kBlocks = list("a list of address blocks", kNetwork, 1, 10'000);
constexpr Shape kAddressFiles = list("a list of files' paths", kFilePath, 1, 16);
constexpr const Shape* kAddressFileForms[] = {&kFilePath, &kAddressFiles};
constexpr Shape kFileOrFiles = either("a file's path or a list of them", kAddressFileForms);
constexpr Key kAddressesKeys[] = {
    {"allow", &kBlocks, "", R"(["10.0.0.0/8", "2001:db8::/32"])",
     "Accepted blocks. If there are any, here or in `allow_file`, all other addresses are refused"},
    {"deny", &kBlocks, "", R"(["10.66.0.0/16"])",
     "Refused blocks. If several blocks contain an address, the smallest decides"},
    {"allow_file", &kFileOrFiles, "", R"("/etc/headgate/offices.txt")",
     "File of accepted blocks, or a list of files: one block per line, comments after `#` or `;`. Read again when it "
     "changes"},
    {"deny_file", &kFileOrFiles, "", R"("/etc/headgate/denied.txt")", "The same for refused blocks"},
};
constexpr Section kAddresses{"addresses", "addresses", "Client addresses that may use a route.", kAddressesKeys};

}  // namespace

constexpr Shape kAddressesShape = section(kAddresses);

namespace {

using gateway::AddressRules;
using identity::Network;

/// A block, and where it is written.
struct Written {
  Network block;
  const Node* node = nullptr;
};

std::vector<Written> blocks_in(const Node* list) {
  std::vector<Written> out;
  for (const Node* each : texts(list))
    if (const auto read = identity::parse_network(each->text); read.has_value()) out.push_back({*read, each});
  return out;
}

identity::AddressBlocks compiled(const std::vector<Written>& written) {
  std::vector<Network> blocks;
  blocks.reserve(written.size());
  for (const auto& each : written) blocks.push_back(each.block);
  return identity::AddressBlocks(blocks);
}

boost::asio::ip::address first_of(const Network& block) {
  return std::visit([](const auto& of) { return boost::asio::ip::address(of.address()); }, block);
}

int length_of(const Network& block) {
  return std::visit([](const auto& of) { return static_cast<int>(of.prefix_length()); }, block);
}

/// Returns whether `blocks` contain exactly this block. A smaller block may begin at the same address, so a comparison
/// of first addresses is not enough.
bool has(const std::vector<Written>& blocks, const Network& block) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const Written& each) { return each.block == block; });
}

void check_blocks(Build& build, const std::vector<Written>& allow, const std::vector<Written>& deny,
                  const AddressRules& rules) {
  const auto allowed = compiled(allow);
  for (const auto& each : deny) {
    // The same block can only be allowed if an allowed block contains its first address.
    const auto around = allowed.smallest(first_of(each.block));
    if (around != identity::AddressBlocks::kNone && has(allow, each.block)) {
      build.report.error(code::kConflict, *each.node, in_quotes(each.node->written) + " is allowed here and denied",
                         "keep one of the two");
    } else if (around == identity::AddressBlocks::kNone && rules.demands() && rules.allow_files.empty() &&
               std::none_of(allow.begin(), allow.end(),
                            [&](const Written& one) { return identity::within(one.block, each.block); })) {
      build.report.warning(
          code::kNoEffect, *each.node,
          in_quotes(each.node->written) + " has no effect: addresses outside \"allow\" are refused anyway",
          "remove it, or remove \"allow\"");
    }
  }
}

/// Returns the index of the file among all address files. If the file is new, checks its current contents; the gateway
/// reads the file again after every change.
std::size_t file_number(Build& build, const Node& file) {
  auto& files = build.config.identity.address_files;
  const auto known = std::find(files.begin(), files.end(), file.text);
  if (known != files.end()) return static_cast<std::size_t>(known - files.begin());
  files.push_back(file.text);
  const auto content = read_text_file(file.text, identity::kLongestAddressFile);
  const auto what = "the file of addresses " + in_quotes(file.written);
  if (!content.text) {
    build.report.error(code::kUnresolved, file, what + " cannot be read: " + content.why_not,
                       "relative paths begin at the directory of this file; an empty file is valid");
  } else if (const auto read = identity::read_addresses(*content.text); read.has_error()) {
    build.report.error(
        code::kUnresolved, file,
        what + " has a mistake in line " + std::to_string(read.error().line) + ": " + read.error().message,
        "one block on each line, as in 10.0.0.0/8, and comments after #");
  }
  return files.size() - 1;
}

std::vector<std::size_t> files_in(Build& build, const Node* written) {
  std::vector<const Node*> files = texts(written);
  if (written != nullptr && written->kind == Kind::string) files = {written};
  std::vector<std::size_t> out;
  for (const Node* each : files)
    if (!check_file_path(each->text)) out.push_back(file_number(build, *each));
  return out;
}

}  // namespace

void build_addresses(Build& build, const Node* section, gateway::AddressRulesPtr& out) {
  const Node* written = find(section, "addresses");
  if (written == nullptr || written->kind != Kind::object) return;
  const auto allow = blocks_in(find(written, "allow"));
  const auto deny = blocks_in(find(written, "deny"));
  AddressRules rules{.allow = compiled(allow),
                     .deny = compiled(deny),
                     .allow_files = files_in(build, find(written, "allow_file")),
                     .deny_files = files_in(build, find(written, "deny_file"))};
  if (written->children.empty())
    build.report.warning_at_key(code::kNoEffect, *written, "\"addresses\" has no effect: it lists no addresses",
                                R"(write "allow" or "deny")");
  check_blocks(build, allow, deny, rules);
  out = std::make_shared<const AddressRules>(std::move(rules));
}

/// Reports a route that lets in only addresses that are refused for all routes.
void check_addresses(Build& build) {
  const auto& all = build.config.gateway.all_routes.addresses;
  if (!all || all->deny.size() == 0 || !all->allow_files.empty()) return;
  const auto let_in = blocks_in(find(find(find(&build.root, "all_routes"), "addresses"), "allow"));
  const auto& routes = build.config.gateway.routes;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const auto& own = routes[i].addresses;
    if (!own || !own->demands() || !own->allow_files.empty()) continue;
    const Node* const node = find(build.route_nodes[i], "addresses");
    const auto allow = blocks_in(find(node, "allow"));
    const auto refused = [&](const Written& each) {
      const auto denied = all->deny.smallest(first_of(each.block));
      return denied != identity::AddressBlocks::kNone && denied <= length_of(each.block) &&
             all->allow.smallest(first_of(each.block)) < denied &&
             std::none_of(let_in.begin(), let_in.end(),
                          [&](const Written& one) { return identity::within(one.block, each.block); });
    };
    if (allow.empty() || !std::all_of(allow.begin(), allow.end(), refused)) continue;
    build.report.warning_at_key(code::kNoEffect, *node,
                                "nobody can use this route: \"all_routes\" refuses all addresses that it allows",
                                "a route can only refuse more than \"all_routes\"");
  }
}

}  // namespace headgate::config
