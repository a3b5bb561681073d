namespace QuickSilver.Simulator.Ricochet.Processor;

/// <summary>What an engine does with packets that others sent.</summary>
internal enum EngineWork
{
    /// <summary>Reads a packet, keeps it, puts it into the bins and delivers it.</summary>
    TakePacket,

    /// <summary>Reads a repair and solves it with what is known.</summary>
    TakeRepair,

    /// <summary>Combines the packets of a bin into a repair.</summary>
    BuildRepair,
}
