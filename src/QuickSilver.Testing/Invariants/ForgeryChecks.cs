using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// E3: a datagram that comes from an address that is not its sender's changes nothing. K2: in a secured cluster no
/// datagram changes anything that its sender has not sealed, wherever it comes from. K3 and K4: see
/// <see cref="SealedReads"/>. Stands between the loop and the node: before and after each such datagram the node's
/// state is digested.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="node">Index of the node.</param>
/// <param name="stack">The node.</param>
internal sealed class ForgeryChecks(RunContext run, int node, NodeStack stack) : ICompletionHandler
{
    private readonly SealedReads? _reads = stack.Rooms.Keys is null ? null : new SealedReads(run, node, stack);

    /// <inheritdoc/>
    public void Handle(ref Completion completion, Instant now)
    {
        if (completion.IsDrained || !Forgery.IsForged(completion.Source))
        {
            if (_reads is null || completion.IsDrained) stack.Handle(ref completion, now);
            else _reads.Handle(ref completion, now);
            return;
        }
        NetEndpoint source = completion.Source;
        bool isSpoofed = Forgery.IsSpoofed(source);
        if (isSpoofed) completion = completion with { Source = Forgery.Seen(source) };
        byte sealedBit = (byte)(completion.Span[2] & DatagramHeader.SealedBit);
        _ = DatagramHeader.TryReadFields(
            completion.Span, ProtocolVersions.All, sealedBit, out DatagramHeader header);
        ulong before = StateDigest.Of(stack);
        stack.Handle(ref completion, now);
        if (StateDigest.Of(stack) == before) return;
        throw run.Violation(
            _reads is not null ? "K2" : "E3",
            $"a forged {header.Kind} in the name of {header.Sender:X} from {source} has changed node {node}");
    }
}
