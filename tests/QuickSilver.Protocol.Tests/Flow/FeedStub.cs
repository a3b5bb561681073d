using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Tests.Flow;

/// <summary>
/// A feed with as many trains as the test gives it; each says whose it is by its destination port, and how many were
/// made by its first byte.
/// </summary>
internal sealed class FeedStub(int id, int ready = 0, TrainRoute route = TrainRoute.Region) : IFeed
{
    private readonly byte[] _memory = new byte[4096];

    public int Ready { get; set; } = ready;

    public int Asked { get; private set; }

    public int DatagramsPerTrain { get; set; } = 1;

    public IRegionChannel? Channel { get; set; }

    public Action? OnAsked { get; set; }

    public bool TryPull(Instant now, out Train train)
    {
        Asked++;
        OnAsked?.Invoke();
        train = default;
        if (Ready == 0) return false;
        Ready--;
        _memory[0]++;
        train = new Train(_memory.AsMemory(0, 100 * DatagramsPerTrain), 100, route, new(0, (ushort)id), Channel);
        return true;
    }

    public void Overwrite() => Array.Fill(_memory, (byte)0xEE);
}
