#pragma once
// Calls of Envoy's rate limit service on the path.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/identity/network.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway::test {

/// One descriptor of a call. Texts have at most 127 bytes.
struct CalledDescriptor {
  std::vector<std::pair<std::string, std::string>> entries;
  unsigned hits = 0;  ///< at most 127; 0 for the number of the call
  bool gives_back = false;
  std::optional<std::pair<unsigned, unsigned>> rate{};  ///< the rate that the proxy asks for: count and unit
};

/// A message of Protocol Buffers: the fields by their number. Numbers are written in digits.
inline std::map<unsigned, std::vector<std::string>> read_message(std::string_view bytes) {
  std::map<unsigned, std::vector<std::string>> out;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.size()) {
    const auto tag = number();
    auto& values = out[static_cast<unsigned>(tag >> 3)];
    const auto value = number();
    if ((tag & 7) == 0) {
      values.push_back(std::to_string(value));
    } else {
      values.emplace_back(bytes.substr(at, value));
      at += value;
    }
  }
  return out;
}

/// Each descriptor with the only key `user` is counted by the limits of `route`, in the domain "edge". `Base` is Path,
/// or a class derived from it.
template <class Base>
class WithDescriptors : public Base {
 protected:
  using Base::client;
  using Base::x;

  WithDescriptors() {
    this->identity.trusted_proxies = {*headgate::identity::parse_network("192.0.2.0/24")};
    this->protocol = net::ListenProtocol::rate_limit_service;
    matches(this->route, {{"user", "*"}});
  }

  static void matches(RouteOptions& one, std::vector<std::pair<std::string, std::string>> entries) {
    one.descriptor = DescriptorMatch{.domain = "edge", .entries = std::move(entries)};
    one.name = to_text(*one.descriptor);
    one.path.clear();
    one.to.clear();
    one.respond.emplace();
  }
  static CalledDescriptor user(const std::string& name) { return {.entries = {{"user", name}}}; }

  /// Calls the service, and returns the status of each descriptor, such as "OK plan 2 left 1 wait 30".
  std::vector<std::string> call(const std::vector<CalledDescriptor>& descriptors) {
    auto message = text_field(1, "edge");
    for (const auto& each : descriptors) message += text_field(2, written(each));
    std::string bytes(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(message.size() >> shift & 0xFF);
    x.reset();
    client.forget();
    this->trace.lines.clear();
    this->check("POST /envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", {},
                {{.bytes = bytes + message, .after = {}, .broken = {}}});
    return statuses();
  }
  /// Calls the service with one descriptor.
  std::string call_for(const std::string& name) { return call({user(name)}).at(0); }
  /// The value of a field that the client of the proxy should get; "" without it.
  std::string told_field(const std::string& name) const {
    for (const auto& each : answers(3)) {
      auto field = read_message(each);
      if (field[1].at(0) == name) return field[2].at(0);
    }
    return {};
  }
  /// Whether the call as a whole is over a limit.
  bool over() const { return answers(1) == std::vector<std::string>{"2"}; }

 private:
  static std::string text_field(unsigned number, const std::string& bytes) {
    return std::string(1, static_cast<char>(number << 3U | 2U)) + static_cast<char>(bytes.size()) + bytes;
  }
  static std::string number_field(unsigned number, unsigned value) {
    return std::string(1, static_cast<char>(number << 3U)) + static_cast<char>(value);
  }
  static std::string written(const CalledDescriptor& descriptor) {
    std::string out;
    for (const auto& [key, value] : descriptor.entries) out += text_field(1, text_field(1, key) + text_field(2, value));
    if (descriptor.rate)
      out += text_field(2, number_field(1, descriptor.rate->first) + number_field(2, descriptor.rate->second));
    if (descriptor.hits > 0) out += text_field(3, number_field(1, descriptor.hits));
    if (descriptor.gives_back) out += number_field(4, 1);
    return out;
  }
  /// The values of a field of the answer.
  std::vector<std::string> answers(unsigned field) const {
    constexpr std::size_t kGrpcPrefix = 5;
    return read_message(std::string_view(client.body).substr(std::min(client.body.size(), kGrpcPrefix)))[field];
  }
  std::vector<std::string> statuses() const {
    std::vector<std::string> out;
    for (const auto& each : answers(2)) {
      auto status = read_message(each);
      auto& text = out.emplace_back(status[1].at(0) == "2" ? "OVER" : "OK");
      if (status[2].empty()) continue;
      auto limit = read_message(status[2].at(0));
      auto wait = status[4].empty() ? std::map<unsigned, std::vector<std::string>>() : read_message(status[4].at(0));
      const auto first = [](const std::vector<std::string>& values) { return values.empty() ? "0" : values.front(); };
      text += ' ' + first(limit[3]) + ' ' + first(limit[1]) + " left " + first(status[3]) + " wait " + first(wait[1]);
    }
    return out;
  }
};

using PathDescriptors = WithDescriptors<Path>;

}  // namespace headgate::gateway::test
