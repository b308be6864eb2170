// What most files include, read once for all of them. It only saves time: each file still includes what it uses, and
// builds without this too (HEADGATE_PRECOMPILE=OFF).
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/container/static_vector.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/result.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
