using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

/// <summary>Records what is sent and answers what the test wants.</summary>
internal sealed class TransportStub : ITransport
{
    public List<(int Id, int Datagrams, byte First)> Sent { get; } = [];

    public Func<Train, SendOutcome> Answer { get; set; } = _ => SendOutcome.Sent;

    public IEnumerable<int> SentIds => Sent.Select(sent => sent.Id);

    public bool Quiet { get; set; }

    public TransportFacts Facts { get; } = new(default, default, 1372, 64, 8 << 20, true, true);

    public IRegionChannel? Open(NetEndpoint group, bool receive) => null;

    public void Close(IRegionChannel channel, bool receive)
    {
    }

    public SendOutcome Send(in Train train)
    {
        SendOutcome outcome = Answer(train);
        if (outcome == SendOutcome.Sent && !Quiet) Sent.Add((train.To.Port, train.Count, train.Span[0]));
        return outcome;
    }
}
