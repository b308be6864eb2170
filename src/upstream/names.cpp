#include "headgate/upstream/names.hpp"

#include "headgate/core/text.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <utility>

namespace headgate::upstream {
namespace {

using Addresses = std::vector<net::Tcp::endpoint>;

bool is_address(const std::string& host) {
  error_code ec;
  boost::asio::ip::make_address(host, ec);
  return !ec;
}

/// Returns whether both lists have the same addresses, in any order: resolvers change the order from answer to answer.
bool same_addresses(Addresses a, Addresses b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

std::string in_words(const Addresses& addresses) {
  std::vector<std::string> out;
  out.reserve(addresses.size());
  for (const auto& one : addresses) out.push_back(one.address().to_string());
  return joined(out, ", ");
}

}  // namespace

struct Names::Name {
  Name(Names& whose, ServerName wanted_name)
      : names(whose), wanted(std::move(wanted_name)), alarm(whose.clock_.alarm(&Name::due, this)) {}
  static void due(void* self) {
    auto& name = *static_cast<Name*>(self);
    name.names.ask(name);
  }

  Names& names;
  ServerName wanted;
  Addresses addresses;
  std::unique_ptr<Alarm> alarm;
  bool failing = false;
  std::string trouble;  ///< reason of the last failure; empty after a success
};

Names::Names(Clock& clock, LookUp look_up, Changed changed)
    : clock_(clock), look_up_(std::move(look_up)), changed_(std::move(changed)) {}

Names::~Names() = default;

void Names::use(const std::vector<ServerName>& names) {
  std::vector<ServerName> wanted;
  for (const auto& name : names) {
    if (is_address(name.host)) continue;
    const auto same = std::find_if(wanted.begin(), wanted.end(),
                                   [&](const auto& one) { return one.host == name.host && one.port == name.port; });
    if (same == wanted.end())
      wanted.push_back(name);
    else
      same->every = std::min(same->every, name.every);
  }
  auto before = std::exchange(names_, {});
  for (auto& name : wanted) {
    const auto old = std::find_if(before.begin(), before.end(), [&](const auto& one) {
      return one && one->wanted.host == name.host && one->wanted.port == name.port;
    });
    if (old == before.end()) {
      names_.push_back(std::make_shared<Name>(*this, std::move(name)));
      names_.back()->alarm->set(Duration(0));
      continue;
    }
    const bool sooner = name.every < (*old)->wanted.every;
    (*old)->wanted.every = name.every;
    names_.push_back(std::move(*old));
    if (sooner) names_.back()->alarm->set(name.every);
  }
}

void Names::ask(Name& name) {
  // The next resolution starts only after this one has ended, so that a resolver that does not answer is not asked
  // again meanwhile.
  const std::weak_ptr<Name> alive =
      *std::find_if(names_.begin(), names_.end(), [&](const auto& one) { return one.get() == &name; });
  look_up_(name.wanted.host, name.wanted.port, [alive](const Result<Addresses>& found) {
    if (const auto asked = alive.lock()) asked->names.answered(*asked, found);
  });
}

void Names::answered(Name& name, const Result<Addresses>& found) {
  name.alarm->set(name.wanted.every);
  const auto& host = name.wanted.host;
  if (found.has_error() || found->empty()) {
    const auto why = found.has_error() ? found.error().message() : std::string("it has no address");
    name.trouble = why + (name.addresses.empty() ? "" : "; the known addresses stay in use");
    if (std::exchange(name.failing, true)) return;
    observe::event(observe::LogLevel::warning, "server_name_not_found",
                   name.addresses.empty() ? "the name of a server cannot be resolved, and no address of it is known"
                                          : "the name of a server cannot be resolved; its known addresses stay in use",
                   {{"name", host}, {"reason", why}});
    return;
  }
  if (std::exchange(name.failing, false))
    observe::event(observe::LogLevel::info, "server_name_found", "the name of a server can be resolved again",
                   {{"name", host}});
  if (same_addresses(name.addresses, *found)) return;
  if (!name.addresses.empty())
    observe::event(observe::LogLevel::info, "server_addresses_changed",
                   "new connections go to these addresses, and idle ones to others are closed",
                   {{"name", host}, {"addresses", in_words(*found)}});
  name.addresses = *found;
  changed_({host, name.wanted.port, name.addresses});
}

Addresses Names::of(const std::string& host, std::uint16_t port) const {
  for (const auto& name : names_)
    if (name->wanted.host == host && name->wanted.port == port) return name->addresses;
  return {};
}

std::vector<std::pair<std::string, std::string>> Names::failing() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& name : names_)
    if (name->failing) out.emplace_back(name->wanted.host, name->trouble);
  return out;
}

std::vector<NamedAddresses> Names::known() const {
  std::vector<NamedAddresses> out;
  for (const auto& name : names_)
    if (!name->addresses.empty()) out.push_back({name->wanted.host, name->wanted.port, name->addresses});
  return out;
}

}  // namespace headgate::upstream
