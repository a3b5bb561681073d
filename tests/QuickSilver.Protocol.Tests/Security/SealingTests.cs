using System.Buffers.Binary;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>Sealing with one cipher.</summary>
public abstract class SealingTests
{
    private readonly SealedPair _pair;
    private readonly int _tagBytes;

    private protected SealingTests(SealCipher cipher)
    {
        _pair = new SealedPair(cipher);
        _tagBytes = SealCiphers.TagBytesOf(cipher);
    }

    public static TheoryData<Enum> Kinds =>
        // Of several views: see SharedSealingTests.
        [.. Enum.GetValues<DatagramKind>()
            .Where(kind => DatagramKinds.LaneOf(kind) is not (SealLane.None or SealLane.Hybrid))];

    [Fact]
    public void EveryKindHasALaneButProbesOfNodesThatStart() =>
        Assert.Equal(
            [DatagramKind.None, DatagramKind.Probe],
            Enum.GetValues<DatagramKind>()
                .Where(kind => DatagramKinds.LaneOf(kind) == SealLane.None));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void WhatIsSealedOpensAsItWas(Enum kind)
    {
        byte[] plain = SealedPair.Plain((DatagramKind)kind);
        byte[] datagram = SealedPair.Seal(_pair.From, plain)!;
        int added = SealedHeader.AddedBytes(DatagramKinds.LaneOf((DatagramKind)kind), _tagBytes);
        Assert.Equal(plain.Length + added, datagram.Length);
        Assert.Equal(RejectReason.WrongVersion, DatagramHeader.TryRead(datagram, out _));
        Assert.False(datagram.AsSpan().IndexOf(plain.AsSpan(DatagramHeader.Length)) >= 0);
        Assert.Equal(RejectReason.None, _pair.Open(datagram, out byte[] opened));
        Assert.Equal(plain[DatagramHeader.Length..], opened[DatagramHeader.Length..]);
        if (DatagramKinds.CarriesPacket((DatagramKind)kind)) Assert.Equal(plain, opened);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void AChangedBitAnywhereIsRefused(Enum kind)
    {
        byte[] datagram = SealedPair.Seal(_pair.From, SealedPair.Plain((DatagramKind)kind))!;
        SipHash gate = _pair.To.Find(SealedPair.Tag, SealedPair.Counter)!.Gate;
        for (int at = 0; at < datagram.Length; at++)
        {
            byte[] changed = (byte[])datagram.Clone();
            changed[at] ^= 4;
            Assert.NotEqual(RejectReason.None, _pair.Open(changed, out _));
            if (at is >= SealedHeader.GateOffset and < SealedHeader.GateOffset + SealedHeader.GateBytes) continue;
            // By one who knows the key of the gate, as a sender does that is no member.
            BinaryPrimitives.WriteUInt32LittleEndian(
                changed.AsSpan(SealedHeader.GateOffset), DatagramSealer.GateOf(gate, changed));
            Assert.NotEqual(RejectReason.None, _pair.Open(changed, out _));
        }
        Assert.Equal(RejectReason.None, _pair.Open(datagram, out _));
    }

    [Fact]
    public void ADatagramIsReadOnceAndAForgedCounterMarksNothing()
    {
        var sealer = new DatagramSealer(_pair.From);
        byte[] first = SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Token))!;
        byte[] second = SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Token))!;
        byte[] forged = (byte[])second.Clone();
        forged[^(SealedHeader.CounterBytes + _tagBytes - 6)] = 1;
        Assert.Equal(RejectReason.BadTag, _pair.Open(forged, out _));
        Assert.Equal(RejectReason.None, _pair.Open(second, out _));
        Assert.Equal(RejectReason.None, _pair.Open(first, out _));
        Assert.Equal(RejectReason.Replayed, _pair.Open(first, out _));
        Assert.Equal(RejectReason.Replayed, _pair.Open(second, out _));
    }

    [Fact]
    public void WhatIsTooOldToTellIsRefused()
    {
        var sealer = new DatagramSealer(_pair.From);
        byte[] first = SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Beacon, body: 0))!;
        byte[] last = first;
        for (int count = 0; count < ReplayWindow.Reach; count++)
            last = SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Beacon, body: 0))!;
        Assert.Equal(RejectReason.None, _pair.Open(last, out _));
        Assert.Equal(RejectReason.Replayed, _pair.Open(first, out _));
    }

    [Fact]
    public void APacketThatDiffersFromWhatWasSealedIsNotSealedAgain()
    {
        var sealer = new DatagramSealer(_pair.From);
        byte[] plain = SealedPair.Plain(DatagramKind.Data);
        byte[] first = SealedPair.Seal(sealer, plain)!;
        Assert.Equal(first, SealedPair.Seal(sealer, plain));
        plain[^1] ^= 1;
        Assert.Null(SealedPair.Seal(sealer, plain));
        Assert.Equal(1UL, sealer.Mismatches);
        SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Data, sequence: 5 + 128));
        Assert.Null(SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Data)));
    }

    [Fact]
    public void ARepairIsSealedByTheOneWhoRepairs()
    {
        byte[] plain = SealedPair.Plain(
            DatagramKind.Repair, SealedPair.Third, flags: DatagramFlags.FromPeer, relay: 0);
        byte[] datagram = SealedPair.Seal(_pair.From, plain)!;
        Assert.Equal(RejectReason.None, _pair.Open(datagram, out byte[] opened));
        Assert.Equal(plain, opened);
        byte[] another = SealedPair.Plain(
            DatagramKind.Repair, SealedPair.Third, flags: DatagramFlags.FromPeer, relay: 1);
        Assert.Equal(RejectReason.NotAllowed, _pair.Open(SealedPair.Seal(_pair.From, another)!, out _));
        byte[] inItsName = SealedPair.Plain(DatagramKind.Data, SealedPair.Third);
        Assert.Equal(RejectReason.NotAllowed, _pair.Open(SealedPair.Seal(_pair.From, inItsName)!, out _));
    }

    [Fact]
    public void ASenderThatIsNoMemberWritesAndReadsItsOwnOnly()
    {
        KeyRing outsider = _pair.RingOf(SealedPair.Outsider);
        byte[] packet = SealedPair.Plain(DatagramKind.Data, SealedPair.Outsider);
        Assert.Equal(RejectReason.None, _pair.Open(SealedPair.Seal(outsider, packet)!, out _));
        byte[] others = SealedPair.Seal(_pair.From, SealedPair.Plain(DatagramKind.Data))!;
        Assert.Equal(RejectReason.NoKey, _pair.Open(outsider, SealedPair.Outsider, others, out _));
        byte[] token = SealedPair.Seal(outsider, SealedPair.Plain(DatagramKind.Token, SealedPair.Outsider))!;
        Assert.Equal(RejectReason.NotAllowed, _pair.Open(token, out _));
        byte[] word = SealedPair.Plain(DatagramKind.Ack);
        BinaryPrimitives.WriteUInt64LittleEndian(word.AsSpan(32), SealedPair.Outsider);
        byte[] feedback = SealedPair.Seal(_pair.From, word)!;
        Assert.Equal(RejectReason.None, _pair.Open(outsider, SealedPair.Outsider, feedback, out byte[] heard));
        Assert.Equal(word[48..], heard[48..]);
        Assert.Equal(RejectReason.Replayed, _pair.Open(outsider, SealedPair.Outsider, feedback, out _));
        Assert.Equal(RejectReason.NotAllowed, _pair.Open(feedback, out _));
    }

    [Theory]
    [InlineData(DatagramKind.LateralRepair, RejectReason.None)]
    [InlineData(DatagramKind.LateralResend, RejectReason.None)]
    [InlineData(DatagramKind.LateralData, RejectReason.None)]
    [InlineData(DatagramKind.TimedStatus, RejectReason.None)]
    [InlineData(DatagramKind.TimedNak, RejectReason.NotAllowed)]
    [InlineData(DatagramKind.TimedAsk, RejectReason.NotAllowed)]
    public void ASenderThatIsNoMemberRepairsAndDoesNotAsk(Enum kind, Enum expected)
    {
        byte[] plain = SealedPair.Plain((DatagramKind)kind, SealedPair.Outsider);
        byte[] datagram = SealedPair.Seal(_pair.RingOf(SealedPair.Outsider), plain)!;
        if (datagram is not null) Assert.Equal((RejectReason)expected, _pair.Open(datagram, out _));
        else Assert.Equal(RejectReason.NotAllowed, (RejectReason)expected);
    }

    [Theory]
    [InlineData(DatagramKind.LateralNak)]
    [InlineData(DatagramKind.TimedAsk)]
    [InlineData(DatagramKind.TimedEcho)]
    public void AMemberAsksASenderThatIsNoMemberAndNobodyElseReadsIt(Enum kind)
    {
        KeyRing outsider = _pair.RingOf(SealedPair.Outsider);
        byte[] plain = SealedPair.Plain((DatagramKind)kind);
        BinaryPrimitives.WriteUInt64LittleEndian(plain.AsSpan(32), SealedPair.Outsider);
        byte[] datagram = SealedPair.Seal(_pair.From, plain)!;
        Assert.Equal(RejectReason.None, _pair.Open(outsider, SealedPair.Outsider, datagram, out byte[] heard));
        Assert.Equal(plain[DatagramHeader.Length..], heard[DatagramHeader.Length..]);
        Assert.Equal(RejectReason.NotAllowed, _pair.Open(datagram, out _));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(40)]
    public void AKindThatMayBeIgnoredIsNotOpenedWhateverItsLength(int body)
    {
        byte[] datagram = SealedPair.Plain(DatagramKind.Data, body: body);
        datagram[2] |= DatagramHeader.SealedBit;
        datagram[DatagramHeader.KindOffset] = 0xFF;
        datagram.AsSpan(SealedHeader.GateOffset, 8).Clear();
        SipHash gate = _pair.To.Find(SealedPair.Tag, SealedPair.Counter)!.Gate;
        BinaryPrimitives.WriteUInt32LittleEndian(
            datagram.AsSpan(SealedHeader.GateOffset), DatagramSealer.GateOf(gate, datagram));
        Assert.Equal(RejectReason.UnknownKind, _pair.Open(datagram, out _));
    }

    [Fact]
    public void WhatARemovedNodeHasSealedOpensNoLonger()
    {
        var sealer = new DatagramSealer(_pair.From);
        byte[] before = SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Beacon))!;
        byte[] after = SealedPair.Seal(sealer, SealedPair.Plain(DatagramKind.Beacon))!;
        Assert.Equal(RejectReason.None, _pair.Open(before, out _));
        _pair.To.Remove(SealedPair.Writer);
        Assert.Equal(RejectReason.NoKey, _pair.Open(after, out _));
        Assert.Null(SealedPair.Seal(_pair.To, ToGone()));

        static byte[] ToGone()
        {
            byte[] word = SealedPair.Plain(DatagramKind.Ack, SealedPair.Reader);
            BinaryPrimitives.WriteUInt64LittleEndian(word.AsSpan(32), SealedPair.Writer);
            return word;
        }
    }

    [Fact]
    public void KeysGoWithTheirView()
    {
        byte[] datagram = SealedPair.Seal(_pair.From, SealedPair.Plain(DatagramKind.Data))!;
        Assert.Equal(RejectReason.None, _pair.Open(datagram, out _));
        Assert.True(_pair.Suite.KeysOut > 0);
        _pair.From.Retire(SealedPair.Tag, SealedPair.Counter);
        _pair.To.Retire(SealedPair.Tag, SealedPair.Counter);
        Assert.Equal(0, _pair.Suite.KeysOut);
        Assert.Equal(RejectReason.UnknownView, _pair.Open(datagram, out _));
    }

    [Fact]
    public void AViewThatIsOpenedAgainKeepsItsCounters()
    {
        byte[] first = SealedPair.Seal(_pair.From, SealedPair.Plain(DatagramKind.Beacon))!;
        _pair.From.Open(
            SealedPair.Tag, SealedPair.Counter, new ViewSecret(_pair.Cipher, _pair.Secret, null), SealedPair.Writer,
            [SealedPair.Writer, SealedPair.Reader, SealedPair.Third]);
        byte[] second = SealedPair.Seal(_pair.From, SealedPair.Plain(DatagramKind.Beacon))!;
        Assert.NotEqual(first[48..], second[48..]);
        Assert.Equal(RejectReason.None, _pair.Open(first, out _));
        Assert.Equal(RejectReason.None, _pair.Open(second, out _));
    }

    [Fact]
    public void AKeyServesForSixteenMillionCountersAndTheNextIsDerived()
    {
        const ulong last = (1UL << KeySchedule.CountersOfAKey) - 1;
        byte[] before = SealedPair.Seal(_pair.From, SealedPair.Plain(DatagramKind.Data, sequence: last))!;
        byte[] after = SealedPair.Seal(_pair.From, SealedPair.Plain(DatagramKind.Data, sequence: last + 1))!;
        Assert.Equal(4, KeysAfter(() =>
        {
            Assert.Equal(RejectReason.None, _pair.Open(after, out _));
            Assert.Equal(RejectReason.None, _pair.Open(before, out _));
            Assert.Equal(RejectReason.None, _pair.Open(after, out _));
        }));
    }

    private int KeysAfter(Action action)
    {
        action();
        return _pair.Suite.KeysOut;
    }
}
