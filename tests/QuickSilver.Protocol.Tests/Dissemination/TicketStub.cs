using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

internal sealed class TicketStub : SendTicket
{
    public ulong Number { get; private set; }

    public int Members { get; private set; }

    public StepNumber View { get; private set; }

    public int StableCalls { get; private set; }

    public int Removed { get; private set; } = -1;

    public override void OnNumbered(ulong number, StepNumber groupView, int members)
    {
        Number = number;
        View = groupView;
        Members = members;
    }

    public override void OnStable(int removed, Instant now)
    {
        StableCalls++;
        Removed = removed;
    }
}
