using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// K3: what a removed node has sealed opens nowhere from the moment at which the node is known to be gone. K4: a
/// datagram that was opened once changes nothing when it is read again, whenever that is. Packets are sent to several
/// sockets, and their streams know them: they are left out of K4. What was refused for its source or socket may come
/// again from the right one.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="node">Index of the node.</param>
/// <param name="stack">The node.</param>
internal sealed class SealedReads(RunContext run, int node, NodeStack stack)
{
    private readonly HashSet<(ulong, int)> _opened = [];

    /// <summary>Lets the node handle a read, and checks what it makes of it.</summary>
    public void Handle(ref Completion completion, Instant now)
    {
        RejectReason reason = SealedHeader.TryRead(
            completion.Span, ProtocolVersions.All, out DatagramHeader header, out SealedHeader fields);
        if (reason != RejectReason.None || header.TotalLength != completion.Length)
        {
            stack.Handle(ref completion, now);
            return;
        }
        (ulong, int) id = (IdOf(completion.Span), completion.Length);
        bool isAgain = fields.Lane != SealLane.Data && _opened.Contains(id);
        bool isGone = stack.Cluster.FindNode(header.Sender) is { IsRemoved: true } && !header.IsFromPeer;
        ulong digest = isAgain ? StateDigest.Of(stack) : 0;
        ulong before = stack.DatagramsOpened;
        ulong misplaced = Misplaced;
        stack.Handle(ref completion, now);
        bool isOpened = stack.DatagramsOpened != before;
        if (isGone && isOpened)
            throw run.Violation("K3", $"node {node} has opened a {header.Kind} of {header.Sender:X}, which is removed");
        if (isAgain && (isOpened || StateDigest.Of(stack) != digest))
        {
            string what = isOpened ? "has opened again" : "was changed by the second copy of";
            throw run.Violation("K4", $"node {node} {what} a {header.Kind} of {header.Sender:X}");
        }
        if (isOpened && Misplaced == misplaced) _opened.Add(id);
    }

    private ulong Misplaced => stack.Rooms.Rejected[RejectReason.WrongSource]
        + stack.Rooms.Rejected[RejectReason.WrongSocket];

    private static ulong IdOf(ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> key = "0123456789abcdef"u8;
        return new SipHash(key).Of(bytes);
    }
}
