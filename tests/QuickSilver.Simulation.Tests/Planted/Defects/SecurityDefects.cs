using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Targeted;

namespace QuickSilver.Simulation.Tests.Planted.Defects;

/// <summary>Mistakes in the sealing and opening of datagrams, and in who gets which keys.</summary>
internal static class SecurityDefects
{
    private const string Where = nameof(SecurityRuns.SealedAmongStrangers);
    private const string Mixed = nameof(SecurityRuns.MixedCiphers);
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
        new(
            "CipherOfTheDatagram", "The cipher is the one that a datagram names: a stranger chooses the weaker one.",
            Where, 3, "K6")
        {
            Patches =
            [
                new(
                    "SealedHeader.cs",
                    "SealCiphers.IsKnown(cipher) : cipher == SealCipher.None;",
                    "SealCiphers.IsKnown(cipher) : true;"),
                new(
                    "DatagramOpener.cs",
                    "return writer.LaneOf(fields.Lane).For(counter).TryOpen(",
                    "return writer.LaneOf(fields.Lane).For(counter, fields.Cipher).TryOpen("),
                new("LaneKeys.cs", "public ISealingKey For(ulong counter)",
                    "public ISealingKey For(ulong counter, SealCipher named = SealCipher.None)"),
                new(
                    "LaneKeys.cs",
                    "LastUse = ++_ring.Uses;",
                    "LastUse = ++_ring.Uses; if (SealCiphers.IsKnown(named) && named != _cipher)"
                        + " return _ring.Suite.MakeKey(named, new byte[32]);"),
            ],
        },
        new("LesserCipherChosen", "The server takes a lesser cipher than all have.", Where, 2, "K6")
        {
            Patches =
            [
                new(
                    "ViewLedger.cs",
                    "view.Cipher = common.Value.Preferred;",
                    "view.Cipher = SealCipher.Aes256Gcm;"),
            ],
        },
        new("CipherOfSome", "The server takes the best cipher of one who may send in a view.", Mixed, 3, "V7")
        {
            Patches = [new("ViewLedger.cs", "others & sender.Ciphers : sender.Ciphers", "others : sender.Ciphers")],
        },
        new("SharedNonceSpace", "Each node takes its best cipher, and both derive the same keys.", Mixed, 3, "K1")
        {
            Patches =
            [
                new(
                    "KeySchedule.cs", "System.Text.Encoding.ASCII.GetBytes(SealCiphers.NameOf(cipher), bytes);", "0;"),
                new("ViewKeys.cs", "Cipher = secret.Cipher;", "Cipher = ring.Suite.Ciphers.Preferred;"),
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
