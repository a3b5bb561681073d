using QuickSilver.Protocol.Sites;

namespace QuickSilver.WideArea.Presence;

/// <summary>What the active gateway tells those that stand by, of one group. Only what has changed.</summary>
/// <param name="Group">Number of the group.</param>
/// <param name="Held">Senders of the own site, with the last message that all other sites hold.</param>
/// <param name="Taken">Streams of other sites, with the last record whose messages are published here.</param>
internal sealed record GatewayProgress(
    uint Group, IReadOnlyList<(MemberId Sender, ulong Sequence)> Held,
    IReadOnlyList<(StreamId Stream, ulong Number)> Taken);
