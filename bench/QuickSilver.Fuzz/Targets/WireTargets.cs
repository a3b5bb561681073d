using System.Buffers.Binary;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Targets;

/// <summary>The decoders of datagrams: none may allocate a byte.</summary>
internal sealed class WireTargets
{
    private const int Members = 7;
    private const int Partitions = 3;
    private const int LongestTrain = 8192;
    private static readonly Epoch ServerEpoch = new(1, 99);

    // Later than that of any server whose traffic is collected: steps of former servers lie before its own.
    private static readonly Epoch LastEpoch = new(ulong.MaxValue, 99);

    private static readonly byte[][] Pieces =
    [
        Convert.FromHexString("0101006162"), Convert.FromHexString("000102636465"), Convert.FromHexString("0401AB02"),
        Convert.FromHexString("030200"),
    ];

    private readonly LateralId[] _ids = new LateralId[LateralIdList.MaxIds];
    private readonly (uint Group, ulong Number)[] _reported = new (uint, ulong)[LateralSessionBody.MaxGroups];
    private readonly Corpus _corpus;
    private readonly Token _token = new();
    private readonly List<int> _skipped = new(Members);
    private readonly LagList _behind = new();
    private ulong _sum;

    /// <summary>Prepares them.</summary>
    public WireTargets(Corpus corpus) => _corpus = corpus;

    /// <summary>All of them.</summary>
    public IEnumerable<FuzzTarget> All()
    {
        byte[][] all = _corpus.AllDatagrams;
        yield return new DelegateTarget("header", all, TryHeader) { Seals = true };
        yield return new DelegateTarget("walk", Trains(all), TryWalk) { Longest = LongestTrain };
        yield return new DelegateTarget("packet", _corpus.Bodies(DatagramKind.Data, DatagramKind.Repair), TryPacket);
        yield return new DelegateTarget("piece", Pieces, TryPiece);
        yield return new DelegateTarget("hop", Hops(), TryHop);
        yield return new DelegateTarget("token", Tokens(), TryToken);
        yield return new DelegateTarget(
            "ack", _corpus.Bodies(DatagramKind.Ack),
            input => AckBody.TryRead(input, Members, _behind, out AckBody ack) && Check(ack));
        yield return new DelegateTarget(
            "carrier-word", _corpus.Bodies(DatagramKind.CarrierWord), input => CarrierWordBody.TryRead(input, out _));
        yield return new DelegateTarget(
            "nak", _corpus.Bodies(DatagramKind.Nak),
            input => NakBody.TryRead(input, out NakBody nak) && Walk(nak.Ranges));
        yield return new DelegateTarget(
            "pull", _corpus.Bodies(DatagramKind.Pull),
            input => PullBody.TryRead(input, out PullBody pull) && Walk(pull.Ranges));
        yield return new DelegateTarget(
            "note", [.. _corpus.Bodies(DatagramKind.Note).Where(static body => body.Length == NoteBody.Length)],
            input => NoteBody.TryRead(input, out NoteBody note) && Check(note));
        yield return new DelegateTarget("notes", _corpus.Bodies(DatagramKind.Note), TryNotes);
        yield return new DelegateTarget(
            "path-query", _corpus.Bodies(DatagramKind.PathQuery), input => PathQueryBody.TryRead(input, out _));
        yield return new DelegateTarget("path-answer", _corpus.Bodies(DatagramKind.PathAnswer), TryAnswer);
        yield return new DelegateTarget(
            "path-filler", _corpus.Bodies(DatagramKind.PathFiller), input => PathFillerBody.TryRead(input, out _));
        yield return new DelegateTarget("part", _corpus.Bodies(DatagramKind.RepairPart), TryPart);
        yield return new DelegateTarget(
            "lateral-data", _corpus.Bodies(DatagramKind.LateralData), input => TryLateralData(input, isResend: false));
        yield return new DelegateTarget(
            "lateral-resend", _corpus.Bodies(DatagramKind.LateralResend),
            input => TryLateralData(input, isResend: true));
        yield return new DelegateTarget("lateral-repair", _corpus.Bodies(DatagramKind.LateralRepair), TryLateralRepair);
        yield return new DelegateTarget("lateral-nak", _corpus.Bodies(DatagramKind.LateralNak), TryLateralNak);
        yield return new DelegateTarget(
            "lateral-session", _corpus.Bodies(DatagramKind.LateralSession),
            input => LateralSessionBody.TryRead(input, _reported) > 0);
        yield return new DelegateTarget(
            "timed-packet", _corpus.Datagrams(DatagramKind.TimedData), TryTimedPacket)
        { Seals = true };
        yield return new DelegateTarget(
            "timed-nak", _corpus.Bodies(DatagramKind.TimedNak),
            input => TimedNakBody.TryRead(input, out TimedNakBody nak) && Walk(nak.Ranges));
        yield return new DelegateTarget(
            "timed-gone", [Convert.FromHexString("AC0201D10103"), Convert.FromHexString("0100")],
            input => TimedGoneBody.TryRead(input, 1, out TimedGoneBody gone) && Walk(gone.Ranges));
        yield return new DelegateTarget(
            "timed-status", _corpus.Datagrams(DatagramKind.TimedStatus), TryTimedStatus)
        { Seals = true };
        yield return new DelegateTarget(
            "timed-echo", _corpus.Bodies(DatagramKind.TimedEcho), input => TimedEchoBody.TryRead(input, out _));
        yield return new DelegateTarget(
            "ordered-packet", _corpus.Bodies(DatagramKind.OrderedData, DatagramKind.OrderedRepair), TryOrderedPacket);
        yield return new DelegateTarget(
            "ordered-token", _corpus.Bodies(DatagramKind.OrderedToken),
            input => OrderedTokenBody.TryRead(input, out OrderedTokenBody token) && Check(token));
        yield return new DelegateTarget(
            "ordered-word", _corpus.Bodies(DatagramKind.OrderedWord),
            input => OrderedWordBody.TryRead(input, out _));
        yield return new DelegateTarget(
            "ordered-report", _corpus.Bodies(DatagramKind.OrderedReport),
            input => OrderedReportBody.TryRead(input, out OrderedReportBody report) && Check(report));
        yield return new DelegateTarget(
            "ordered-ask", _corpus.Bodies(DatagramKind.OrderedAsk),
            input => OrderedAskBody.TryRead(input, out OrderedAskBody ask) && Walk(ask.Ranges));
        yield return new DelegateTarget(
            "ordered-call", _corpus.Bodies(DatagramKind.OrderedCall),
            input => OrderedCallBody.TryRead(input, out _));
        yield return new DelegateTarget("beacon", _corpus.Datagrams(DatagramKind.Beacon), TryHeader) { Seals = true };
    }

    private static bool TryHeader(Span<byte> input)
    {
        if (DatagramHeader.TryRead(input, out DatagramHeader header) != RejectReason.None) return false;
        Hold(
            header.TotalLength >= DatagramHeader.Length && header.TotalLength <= input.Length,
            "a length beyond the read");
        header.PayloadIsIntact(input[..header.TotalLength]);
        return true;
    }

    // As a node walks a read that the kernel has put together from many datagrams.
    private bool TryWalk(Span<byte> input)
    {
        Span<byte> rest = input;
        while (!rest.IsEmpty)
        {
            if (DatagramHeader.TryRead(rest, out DatagramHeader header) != RejectReason.None) return false;
            Hold(header.TotalLength > 0 && header.TotalLength <= rest.Length, "a length beyond the read");
            if (header.PayloadIsIntact(rest[..header.TotalLength])) _sum += header.Sequence;
            rest = rest[header.TotalLength..];
        }
        return input.Length > 0;
    }

    private bool TryPacket(Span<byte> input)
    {
        var reader = new WireReader(input);
        _sum += reader.ReadVarint();
        while (PacketRecord.TryRead(
            ref reader, DatagramHeader.Length + input.Length, ServerEpoch, out PacketRecord record))
        {
            Hold(
                record.Bytes.Length + record.FragmentOffset <= (long)record.MessageLength * record.Count,
                "a fragment beyond its message");
            Hold(record.Count == 1 || (!record.IsFirst && !record.IsFragment && record.MessageLength > 0), "no run");
            Hold(record.MessageLength <= PacketRecord.MaxMessageBytes, "a message too long");
            Hold(
                record.GroupIndex is >= 0 and < PacketRecord.MaxGroupsPerRegion && record.Number > 0,
                "no group or number");
            Hold(
                input.Slice(record.BytesOffset - DatagramHeader.Length, record.Bytes.Length)
                    .SequenceEqual(record.Bytes), "bytes from elsewhere");
        }
        return reader.IsAtEnd;
    }

    private bool TryPiece(Span<byte> input)
    {
        if (!MessagePiece.TryRead(input, out MessagePiece piece)) return false;
        _sum += piece.Offset;
        Hold(piece.Id > 0 && piece.Offset <= MessagePiece.MaxLength, "no long message, or an offset too high");
        Hold(!piece.IsFirst || piece.Offset == 0, "a first piece at an offset");
        Hold(!piece.IsGivenUp || (piece.Bytes.IsEmpty && !piece.IsLast && !piece.IsFirst), "bytes after the end");
        Hold(input[piece.BytesOffset..].SequenceEqual(piece.Bytes), "bytes from elsewhere");
        return true;
    }

    private bool TryHop(Span<byte> input)
    {
        var reader = new WireReader(input);
        TokenHop hop = TokenHop.Read(ref reader, Members, _skipped);
        if (!reader.IsAtEnd) return false;
        Hold(hop.Part < hop.Parts && hop.Parts <= TokenHop.MaxParts && hop.From != hop.To, "a part beyond the parts");
        Hold(hop.Leader < Members && hop.From < Members && hop.To < Members, "a member beyond the view");
        foreach (int member in _skipped) Hold(member is >= 0 and < Members, "a skipped member beyond the view");
        return true;
    }

    private bool TryToken(Span<byte> input)
    {
        if (!_token.TryRead(input, Members, Partitions)) return false;
        Hold(_token.Partition < Partitions && _token.PartitionLead < Members, "a partition beyond the view");
        for (int index = 0; index < _token.StreamCount; index++)
        {
            TokenStream stream = _token[index];
            _sum += stream.Contiguous + stream.Place + (stream.ReadPosition ?? 0);
            foreach (ulong held in stream.Held) _sum += held;
            foreach (TokenRange range in stream.Previous.Ranges) Hold(range.Start < range.End, "an empty range");
            foreach (TokenRange range in stream.Common.Ranges) Hold(range.Start < range.End, "an empty range");
        }
        return true;
    }

    // The body says of packets before it how far they lie: the header's sequence belongs to it.
    private static bool TryTimedPacket(Span<byte> input)
    {
        if (DatagramHeader.TryRead(input, out DatagramHeader header) != RejectReason.None) return false;
        Span<byte> body = input[DatagramHeader.Length..header.TotalLength];
        if (!TimedHead.TryRead(body, LastEpoch, header.Sequence, out TimedHead head, out int length)) return false;
        Hold(length <= body.Length && head.Index < head.Count, "a fragment beyond its message");
        Hold(head.Place.First > 0 && head.Place.First <= header.Sequence, "a step that begins nowhere");
        Hold(head.Life > TimeSpan.Zero && head.Importance <= Importance.High, "no life");
        ulong above = header.Sequence;
        for (int index = 0; index < head.Replaced.Count; index++)
        {
            TimedReplaced.Entry entry = head.Replaced[index];
            Hold(entry.First < above && entry.Number < head.Number, "a newer one replaced");
            above = entry.First;
        }
        return true;
    }

    private static bool TryTimedStatus(Span<byte> input)
    {
        if (DatagramHeader.TryRead(input, out DatagramHeader header) != RejectReason.None) return false;
        Span<byte> body = input[DatagramHeader.Length..header.TotalLength];
        if (!TimedStatusBody.TryRead(body, LastEpoch, header.Sequence, out TimedStatusBody status)) return false;
        Hold(status.Oldest > 0 && status.Oldest <= header.Sequence + 1, "an oldest packet beyond the last");
        return true;
    }

    private static bool TryOrderedPacket(Span<byte> input)
    {
        if (!OrderedHead.TryRead(input, out OrderedHead head, out int at)) return false;
        Hold(head.Sequence > 0 && head.Step >= head.Ring.Counter, "a packet before its ring");
        while (at < input.Length)
        {
            Hold(OrderedRecord.TryRead(input, ref at, out OrderedRecord record), "a record that was looked at");
            Hold(record.Offset + record.Length == at && at <= input.Length, "a record beyond its packet");
        }
        return true;
    }

    private static bool TryAnswer(Span<byte> input)
    {
        if (!PathAnswerBody.TryRead(input, out PathAnswerBody answer)) return false;
        Span<int> lengths = stackalloc int[PathAnswerBody.MaxFillers];
        int count = answer.CopyTo(lengths);
        for (int index = 1; index < count; index++)
            Hold(lengths[index] < lengths[index - 1], "lengths that do not fall");
        return true;
    }

    private static bool TryPart(Span<byte> input)
    {
        if (!RepairPartBody.TryRead(input, out RepairPartBody part)) return false;
        Hold(!part.Bytes.IsEmpty && part.Offset + part.Bytes.Length <= part.Total, "a part beyond its packet");
        return true;
    }

    private bool Check(OrderedTokenBody token)
    {
        Hold(token.Held <= token.Sequence && token.Step >= token.Ring.Counter, "a token ahead of its ring");
        return Walk(token.Asked);
    }

    private static bool Check(OrderedReportBody report)
    {
        Hold(report.Ring < report.Next && report.Further <= OrderedReportBody.MaxFurther, "a report of no older ring");
        Hold(report.Map.Length == (report.Further + 7) / 8, "a map of another length");
        return true;
    }

    private static bool Check(AckBody ack)
    {
        Hold(ack.Stable <= ack.Highest && ack.ActiveStreams > 0, "an acknowledgement beyond the stream");
        return true;
    }

    private static bool TryNotes(Span<byte> input)
    {
        if (!NoteList.TryRead(input, out NoteList notes)) return false;
        Hold(notes.Count is > 0 and <= NoteList.MostPlaces, "more notes than a datagram holds");
        for (int index = 0; index < notes.Count; index++)
        {
            Check(notes[index]);
            Hold(notes.IsOffer == notes[index].IsOffer, "an offer that is not alone");
        }
        return true;
    }

    private static bool Check(NoteBody note)
    {
        LentPlace place = note.Place;
        Hold(place.Offset >= 0, "a place before the block");
        Hold(
            note.IsOffer || place.Length is >= DatagramHeader.Length and <= DatagramHeader.MaxDatagram,
            "a length that no packet has");
        return true;
    }

    private static bool Walk(SequenceRangeList ranges)
    {
        ulong end = 0;
        int count = 0;
        foreach (SequenceRange range in ranges)
        {
            Hold(!range.IsEmpty && range.Start > end, "ranges that do not rise");
            end = range.End;
            count++;
        }
        return count == ranges.Count;
    }

    private static void Hold(bool holds, string what)
    {
        if (!holds) throw new FuzzException(what);
    }

    private static byte[][] Trains(byte[][] datagrams)
    {
        List<byte[]> trains = [];
        for (int index = 0; index + 4 <= datagrams.Length; index++)
        {
            byte[] train = [.. datagrams[index], .. datagrams[(index * 7) % datagrams.Length], .. datagrams[index + 3]];
            if (train.Length <= LongestTrain) trains.Add(train);
        }
        return [.. trains];
    }

    private byte[][] Hops() =>
        [.. _corpus.Bodies(DatagramKind.TokenAck, DatagramKind.Token).Select(HopOf)
            .Where(hop => hop.Length > 0 && TryHop(hop))];

    private byte[] HopOf(byte[] body)
    {
        var reader = new WireReader(body);
        TokenHop.Read(ref reader, Members, _skipped);
        return reader.Failed ? [] : body[..^reader.Remaining];
    }

    private byte[][] Tokens() =>
    [
        .. _corpus.Bodies(DatagramKind.Token).Where(body => HopOf(body).Length > 0)
            .Select(body => body[HopOf(body).Length..]).Where(token => TryToken(token)),
    ];

    // The checksum is set right, so that damage gets past it.
    private static bool TryLateralData(Span<byte> input, bool isResend)
    {
        if (!LateralDataBody.TryRead(input, 1, isResend, out LateralId id, out int offset)) return false;
        Span<byte> block = input[offset..];
        if (block.Length < LateralBlock.HeadLength) return false;
        int length = LateralBlock.HeadLength + BinaryPrimitives.ReadUInt16LittleEndian(block[4..]);
        if (length <= block.Length)
            BinaryPrimitives.WriteUInt32LittleEndian(block, LateralBlock.Checksum(block[..length], id));
        return LateralBlock.TryRead(block, id, out _, out _);
    }

    private bool TryLateralRepair(Span<byte> input)
    {
        int count = LateralRepairBody.TryRead(input, _ids, out uint seed, out _);
        for (int index = 0; index < count; index++)
        {
            if (LateralRepairBody.CoefficientOf(seed, _ids[index]) == 0)
                throw new FuzzException("a coefficient is zero");
        }
        return count > 0;
    }

    private bool TryLateralNak(Span<byte> input)
    {
        var reader = new WireReader(input);
        return LateralIdList.Read(ref reader, _ids) > 0 && reader.IsAtEnd;
    }
}
