using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// E3: a datagram that comes from an address that is not its sender's changes nothing. Stands between the loop and the
/// node: before and after each such datagram the node's state is digested.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="node">Index of the node.</param>
/// <param name="stack">The node.</param>
internal sealed class ForgeryChecks(RunContext run, int node, NodeStack stack) : ICompletionHandler
{
    /// <inheritdoc/>
    public void Handle(ref Completion completion, Instant now)
    {
        if (completion.IsDrained || !Forgery.IsForged(completion.Source))
        {
            stack.Handle(ref completion, now);
            return;
        }
        NetEndpoint source = completion.Source;
        _ = DatagramHeader.TryRead(completion.Span, out DatagramHeader header);
        ulong before = StateDigest.Of(stack);
        stack.Handle(ref completion, now);
        if (StateDigest.Of(stack) != before)
            throw run.Violation(
                "E3", $"a forged {header.Kind} in the name of {header.Sender:X} from {source} has changed node {node}");
    }
}
