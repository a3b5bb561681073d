using System.Globalization;

namespace QuickSilver.Typed;

/// <summary>The answers to a request.</summary>
/// <typeparam name="TReply">Type of the replies.</typeparam>
public sealed class ReplySet<TReply>
{
    internal ReplySet(IReadOnlyList<Reply<TReply>> replies, IReadOnlyList<Member> missing, bool isComplete)
    {
        Replies = replies;
        Missing = missing;
        IsComplete = isComplete;
    }

    /// <summary>The answers, in the order of their arrival; also the errors (<see cref="Reply{TReply}.IsError"/>), such
    /// as those of responders that threw.</summary>
    public IReadOnlyList<Reply<TReply>> Replies { get; }

    /// <summary>The members of the view that did not answer: too late, gone from the view, or not needed any more.
    /// Members without a responder are not among them.</summary>
    public IReadOnlyList<Member> Missing { get; }

    /// <summary>Whether there are as many values as were asked for; if all answers were, whether all that have a
    /// responder answered. False: the time was up, or too few can still answer.</summary>
    public bool IsComplete { get; }

    /// <summary>The answers, and the names of the members that did not answer, for logs. Allocates.</summary>
    public override string ToString()
    {
        string missing = Missing.Count == 0 ? "nobody" : string.Join(", ", Missing.Select(static one => one.Name));
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Replies.Count} answers ({string.Join("; ", Replies)}), missing: {missing}");
    }
}
