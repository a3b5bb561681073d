using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Simulator.Ricochet.Processor;

/// <summary>Where an engine registers its feeds: the one that builds repairs has a clock beside it.</summary>
internal sealed class MeteredSink(ISink sink, EngineMeter meter) : ISink
{
    private Building? _building;

    public void Register(IFeed feed, PriorityClass priority) => sink.Register(Metered(feed), priority);

    public void DropKept(IFeed feed) => sink.DropKept(Metered(feed));

    private IFeed Metered(IFeed feed) =>
        feed is LateralRepairing ? _building ??= new Building(feed, meter) : feed;

    private sealed class Building(IFeed feed, EngineMeter meter) : IFeed
    {
        public bool TryPull(Instant now, out Train train)
        {
            meter.Begin();
            bool isPulled = feed.TryPull(now, out train);
            meter.End(EngineWork.BuildRepair);
            return isPulled;
        }
    }
}
