namespace QuickSilver.Protocol.Core;

/// <summary>The parts of a turn, in their order.</summary>
internal enum TurnPhase : byte
{
    /// <summary>Requests from application threads.</summary>
    Requests,

    /// <summary>Reads of sockets.</summary>
    Io,

    /// <summary>Timers.</summary>
    Alarms,

    /// <summary>Sending.</summary>
    Pull,
}
