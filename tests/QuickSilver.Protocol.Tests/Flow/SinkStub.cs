using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

internal sealed class SinkStub : ISink
{
    public List<(IFeed Feed, PriorityClass Priority)> Registered { get; } = [];

    public void Register(IFeed feed, PriorityClass priority) => Registered.Add((feed, priority));
}
