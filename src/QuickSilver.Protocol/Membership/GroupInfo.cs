using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>The fixed properties of a group.</summary>
/// <param name="Id">The number given when the name was first used.</param>
/// <param name="Name">The name: 1-255 bytes of UTF-8 without control characters, compared ordinally.</param>
/// <param name="Mode">The group's mode: one of <see cref="GroupModes"/>.</param>
/// <param name="Address">The multicast address of a hybrid group; none for others, and where the server has no
/// addresses.</param>
internal sealed record GroupInfo(GroupId Id, string Name, byte Mode, NetEndpoint Address = default);
