using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Nodes;

/// <summary>Follows one message for the invariants.</summary>
internal sealed class SimulatedTicket(NodeApplication owner, SimulatedGroup group, ulong expected) : SendTicket
{
    /// <inheritdoc/>
    public override void OnNumbered(ulong number, StepNumber groupView, int members) =>
        owner.OnNumbered(group, expected, number, groupView, members);

    /// <inheritdoc/>
    public override void OnStable(int removed, Instant now) => owner.OnStable(group, expected);
}
