#pragma once
// All of a value of options as text, to compare two. Every member of every aggregate is in it, so none can be
// forgotten.

#include "headgate/balance/policy.hpp"
#include "headgate/config/config.hpp"
#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/basic/basic_auth.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/path_regex.hpp"
#include "headgate/identity/address_blocks.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/calendar.hpp"

#include <boost/pfr/detail/core17_generated.hpp>

#include <concepts>
#include <cstddef>
#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace headgate::test {

/// May be given for a member of any type.
template <std::size_t>
struct AnyMember {
  template <class Member>
  operator Member() const noexcept;
};

template <class Type, std::size_t... each>
constexpr bool takes_members(std::index_sequence<each...>) {
  return requires { Type{AnyMember<each>{}...}; };
}

/// How many members an aggregate has, a base counted as one. Asked from above: Boost.PFR's own count also tries fewer
/// values than there are members, and GCC 12 ends with an internal error where a member's default has braces.
template <class Type, std::size_t most = 48>
constexpr std::size_t count_members() {
  if constexpr (takes_members<Type>(std::make_index_sequence<most>()))
    return most;
  else
    return count_members<Type, most - 1>();
}

/// Values of types that are no aggregates, by what they tell of themselves.
inline void describe(std::ostream& out, const limit::Calendar& calendar) {
  out << calendar.zone() << ' ' << static_cast<int>(calendar.unit());
}
inline void describe(std::ostream& out, const identity::Network& network) { out << identity::to_text(network); }
inline void describe(std::ostream& out, const identity::AddressBlocks& blocks) { out << blocks.size(); }
/// Its text stands beside it.
inline void describe(std::ostream& out, const gateway::PathRegex&) { out << "regex"; }
inline void describe(std::ostream& out, Duration duration) { out << to_text(duration); }
inline void describe(std::ostream& out, Instant instant) { out << instant.time_since_epoch().count(); }

void describe(std::ostream& out, const auto& value) {
  using Value = std::remove_cvref_t<decltype(value)>;
  if constexpr (std::is_enum_v<Value>) {
    out << static_cast<int>(value);
  } else if constexpr (std::convertible_to<Value, std::string_view>) {
    out << '"' << value << '"';
  } else if constexpr (std::is_arithmetic_v<Value>) {
    out << +value;
  } else if constexpr (std::is_pointer_v<Value> && requires { std::string_view(value->name); }) {
    out << (value != nullptr ? std::string_view(value->name) : "-");
  } else if constexpr (std::is_pointer_v<Value> && requires { std::string_view(value->word); }) {
    out << (value != nullptr ? std::string_view(value->word) : "-");
  } else if constexpr (requires { static_cast<bool>(value), *value; }) {
    if (value)
      describe(out, *value);
    else
      out << '-';
  } else if constexpr (std::ranges::range<Value>) {
    out << '[';
    for (const auto& each : value) {
      describe(out, each);
      out << ' ';
    }
    out << ']';
  } else if constexpr (requires { value.first, value.second; }) {
    describe(out, value.first);
    out << ": ";
    describe(out, value.second);
  } else if constexpr (std::is_same_v<Value, gateway::UpstreamOptions>) {
    // No binding takes apart what has members in its base, too.
    static_assert(count_members<Value>() == 7);
    describe(out, static_cast<const upstream::ServerGroupOptions&>(value));
    describe(out, value.balance_per);
    describe(out, value.in_flight_store);
    describe(out, value.queue_per);
    describe(out, value.server_queue);
    describe(out, value.base);
    describe(out, value.retry);
  } else {
    constexpr auto count = count_members<Value>();
    const auto members = boost::pfr::detail::tie_as_tuple(value, boost::pfr::detail::size_t_<count>());
    const auto describe_each = [&]<std::size_t... each>(std::index_sequence<each...>) {
      ((describe(out, boost::pfr::detail::sequence_tuple::get<each>(members)), out << ' '), ...);
    };
    out << '{';
    describe_each(std::make_index_sequence<count>());
    out << "}\n";
  }
}

std::string described(const auto& value) {
  std::ostringstream out;
  describe(out, value);
  return out.str();
}

}  // namespace headgate::test
