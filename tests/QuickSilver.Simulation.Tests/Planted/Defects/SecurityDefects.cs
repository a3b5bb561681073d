using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in the sealing and opening of datagrams, and in who gets which keys.</summary>
internal static class SecurityDefects
{
    private const string Where = nameof(SecurityRuns.SealedAmongStrangers);
    private const string Modes = nameof(SecurityRuns.SealedModes);

    /// <summary>The mistakes.</summary>
    public static PlantedDefect[] All { get; } =
    [
        new("CounterRestarts", "A lane's counters begin again after fifty datagrams.", Where, 2, "K1")
        {
            Patches =
            [
                new("DatagramSealer.cs", ": ++ways.Counter;", ": ways.Counter = (ways.Counter % 50) + 1;"),
            ],
        },
        new("TagUnchecked", "A sealed datagram is taken although its tag is wrong.", Where, 3, "K2", "E2")
        {
            Patches =
            [
                new(
                    "DatagramOpener.cs",
                    "if (!TryDecrypt(writer, fields, counter, datagram, end)) return RejectReason.BadTag;",
                    "_ = TryDecrypt(writer, fields, counter, datagram, end);"),
            ],
        },
        new("MarkedBeforeOpen", "A counter is marked as read before its datagram is opened.", Where, 3, "K2")
        {
            Patches =
            [
                new(
                    "DatagramOpener.cs",
                    "if (opened.WasRead) return RejectReason.Replayed;",
                    "if (opened.WasRead) return RejectReason.Replayed; opened.Mark();"),
            ],
        },
        new("HeaderUnchecked", "Flags, sequence and relay of a sealed datagram are not authenticated.", Where, 3, "K2")
        {
            Patches =
            [
                new(
                    "DatagramOpener.cs",
                    "Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];",
                    "associated[4..40].Clear(); Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];"),
                new(
                    "DatagramSealer.cs",
                    "Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];",
                    "associated[4..40].Clear(); Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];"),
            ],
        },
        new("WindowTooShort", "A counter too old to tell counts as not read, and the window is short.", Where, 3, "K4")
        {
            Patches =
            [
                new("ReplayWindow.cs", "private const int Bits = 8192;", "private const int Bits = 128;"),
                new(
                    "ReplayWindow.cs",
                    "if (_highest - counter >= Reach) return true;",
                    "if (_highest - counter >= Reach) return false;"),
            ],
        },
        new("OldKeyKept", "The keys of a removed node serve on.", Where, 5, "K3")
        {
            Patches =
            [
                new(
                    "NodeStack.cs",
                    "foreach (NodeInfo node in nodes) _rooms.Keys?.Remove(node.Number.Key);",
                    ""),
            ],
        },
        new("JoinerGetsOldSecret", "A region's next view has the secret of the one before.", Where, 2, "K3")
        {
            Patches =
            [
                new("ViewLedger.cs", "Secret = secrets?.Draw(),", "Secret = last?.Secret ?? secrets?.Draw(),"),
            ],
        },
        new("AnswersFollowTheSource", "Control goes to where a member's datagrams come from last.", Where, 3, "K5")
        {
            Patches =
            [
                new(
                    "NodeInfo.cs",
                    "DatagramSource.Control => arrival.Source == Control,",
                    "DatagramSource.Control => arrival.Source == Control || Follow(arrival.Source),"),
                new(
                    "NodeInfo.cs",
                    "private bool IsHere(NetAddress address) =>",
                    "public NetEndpoint Last; private bool Follow(NetEndpoint source) { Last = source; return false; }"
                        + " private bool IsHere(NetAddress address) =>"),
                new(
                    "RecoveryContext.cs",
                    "TrainRoute.Control, to.Control, null);",
                    "TrainRoute.Control, to.Last.IsNone ? to.Control : to.Last, null);"),
            ],
        },
        new(
            "ModeCounterIsSequence", "Packets of lateral and timed groups take their sequence as counter.", Modes, 2,
            "K1")
        {
            Patches =
            [
                new(
                    "DatagramSealer.cs",
                    "ulong counter = lane == SealLane.Data ?",
                    "ulong counter = lane is SealLane.Data or SealLane.Mode ?"),
            ],
        },
        new("RepairReadAgain", "A repair that was read before is read again.", Modes, 3, "K4")
        {
            Patches =
            [
                new("OpenedDatagram.cs", "SealLane.Data => false,", "SealLane.Data or SealLane.Repair => false,"),
            ],
        },
    ];
}
