#pragma once
// The ticket of a waiting caller, or the pass of an admitted one: one line of text that the caller sends back.
// identity/hmac computes its signature.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::room {

struct Ticket {
  enum class Kind : std::uint8_t { ticket, pass };
  Kind kind = Kind::ticket;
  std::int64_t number = 0;   ///< Number of the caller, from 1 to kMaxNumber.
  std::int64_t at = 0;       ///< Time at which the ticket was written, in seconds since the epoch.
  std::int64_t serving = 0;  ///< The last called number at that time, at most kMaxNumber.
  std::uint64_t id = 0;      ///< Random id of the caller.
  bool operator==(const Ticket&) const = default;
};

inline constexpr std::int64_t kMaxNumber = 1'000'000'000'000;
inline constexpr std::size_t kMaxTicketText = 160;

/// Returns the text that is signed, for example "t.1042.1760000000.980.1f00a2b3c4d5e6f7.9ab3c01d". `secret` is the name
/// of the secret, in letters and digits.
std::string ticket_text(const Ticket& ticket, std::string_view secret);

/// A ticket as it was received, not verified yet.
struct WrittenTicket {
  Ticket ticket;
  std::string_view secret;     ///< The name of the secret.
  std::string_view text;       ///< The signed text.
  std::string_view signature;  ///< Signature, the text after the last dot.
};
/// Splits a ticket into views into `text`. Returns nothing if `text` is not a ticket.
std::optional<WrittenTicket> read_ticket(std::string_view text) noexcept;

}  // namespace headgate::room
