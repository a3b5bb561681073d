using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>One message in one stream's region buffer.</summary>
/// <param name="Message">The message.</param>
/// <param name="GroupIndex">Its group's index in the region.</param>
/// <param name="IsFirst">True for the group's first message in the stream.</param>
/// <param name="IsShared">True when other streams carry the message too.</param>
/// <param name="Start">Bytes at its beginning that have left, in a packet of several regions.</param>
internal readonly record struct BacklogEntry(
    OutgoingMessage Message, int GroupIndex, bool IsFirst, bool IsShared, int Start = 0);
