// A list of types, and what can be asked of it at compile time.
#pragma once

#include <cstddef>
#include <type_traits>

namespace topos {

/// Types in an order; itself an empty type.
template <class... Types>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Types);  ///< how many
};

namespace detail {
template <class Type, class List>
struct IndexIn;
template <class Type, class... Types>
struct IndexIn<Type, TypeList<Types...>> {
  static constexpr std::size_t find() {
    std::size_t index = 0;
    std::size_t found = sizeof...(Types);
    ((std::is_same_v<Type, Types> ? void(found = index) : void(), ++index), ...);
    return found;
  }
  static constexpr std::size_t value = find();
  static_assert(value < sizeof...(Types), "the type is not in the list");
};
}  // namespace detail

/// Position of Type in List.
template <class Type, class List>
inline constexpr std::size_t index_in = detail::IndexIn<Type, List>::value;

}  // namespace topos
