#pragma once
// The log of changes: who changed what through the admin interface, and who was refused.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/observe/line_gate.hpp"

#include <chrono>
#include <string_view>

namespace headgate::admin {

/// Admin thread only.
class AdminAudit {
 public:
  /// A call that changes something was answered: an event "admin_change". Keys of limits are shown by their `key_id`.
  static void changed(const AdminEndpoint& endpoint, const AdminCall& call, const AdminAnswer& answer);
  /// A call was refused before it was looked at: an event "admin_refused", a few a second at most.
  void refused(std::string_view address, std::string_view method, std::string_view path, unsigned status,
               std::string_view why);

  /// An address was wrong about the token so often that it must wait: an event "admin_token_guesses".
  static void guesses(std::string_view address, std::chrono::seconds wait);

 private:
  observe::LineGate gate_;
};

}  // namespace headgate::admin
