#pragma once
// A ticket of a waiting caller, or the pass of an admitted one: one line of text that the caller sends back. The
// signature is computed elsewhere (identity/hmac).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::room {

struct Ticket {
  enum class Kind : std::uint8_t { ticket, pass };
  Kind kind = Kind::ticket;
  std::int64_t number = 0;   ///< 1 to kMaxNumber
  std::int64_t at = 0;       ///< seconds since the epoch: when it was written
  std::int64_t serving = 0;  ///< how far the line was then, at most kMaxNumber
  std::uint64_t id = 0;      ///< random
  bool operator==(const Ticket&) const = default;
};

inline constexpr std::int64_t kMaxNumber = 1'000'000'000'000;
inline constexpr std::size_t kMaxTicketText = 160;

/// What the signature is of: everything but the signature, as in "t.1042.1760000000.980.1f00a2b3c4d5e6f7.9ab3c01d".
/// `secret` names the secret, in letters and digits.
std::string ticket_text(const Ticket& ticket, std::string_view secret);

/// A ticket as it was sent, not verified.
struct WrittenTicket {
  Ticket ticket;
  std::string_view secret;     ///< the name of the secret
  std::string_view text;       ///< what the signature is of
  std::string_view signature;  ///< behind the last dot
};
/// Views into `text`. Nothing if it is no ticket.
std::optional<WrittenTicket> read_ticket(std::string_view text) noexcept;

}  // namespace headgate::room
