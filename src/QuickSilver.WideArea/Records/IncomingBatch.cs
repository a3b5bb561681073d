using QuickSilver.Protocol.Sites;

namespace QuickSilver.WideArea.Records;

/// <summary>What a record of another site brought, on its way to the group here.</summary>
/// <param name="Stream">The stream.</param>
/// <param name="Number">The record's number: all that ended up to it is published once the messages are.</param>
/// <param name="Held">The number up to which nothing is needed again then: it is below a record in which a message
/// begins that has not ended.</param>
/// <param name="Messages">The messages that ended in it.</param>
internal readonly record struct IncomingBatch(
    StreamId Stream, ulong Number, ulong Held, IReadOnlyList<IncomingMessage> Messages);
