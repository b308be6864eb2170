#pragma once
// Tells the service manager how this process is (sd_notify(3)), without its library.

#include <string_view>

namespace headgate::server {

/// Sends `state` ("READY=1") to the socket that $NOTIFY_SOCKET names. Does nothing if there is none.
void tell_service_manager(std::string_view state) noexcept;

}  // namespace headgate::server
