#pragma once
// The audit log of the admin interface: who changed what, and which calls were refused.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/observe/line_gate.hpp"

#include <chrono>
#include <string_view>

namespace headgate::admin {

/// The writer of the audit log. Admin thread only.
class AdminAudit {
 public:
  /// Reports the event "admin_change" for a call that may change something. Keys of limits are shown by their `key_id`.
  static void changed(const AdminEndpoint& endpoint, const AdminCall& call, const AdminAnswer& answer);
  /// Reports the event "admin_refused" for a call that was refused before its endpoint ran; a few per second at most.
  void refused(std::string_view address, std::string_view method, std::string_view path, unsigned status,
               std::string_view why);

  /// Reports the event "admin_token_guesses" for an address that must wait after too many wrong tokens.
  static void guesses(std::string_view address, std::chrono::seconds wait);

 private:
  observe::LineGate gate_;
};

}  // namespace headgate::admin
