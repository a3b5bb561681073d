using System.Globalization;

namespace QuickSilver.Typed;

/// <summary>The answer of one member to a request.</summary>
/// <typeparam name="TReply">Type of the replies.</typeparam>
public sealed class Reply<TReply>
{
    private readonly TReply? _value;

    internal Reply(Member member, TReply? value, string? error)
    {
        Member = member;
        _value = value;
        Error = error;
    }

    /// <summary>The member that answered.</summary>
    public Member Member { get; }

    /// <summary>What the responder threw, as text, or why the request or the reply was no value; null if the member has
    /// replied.</summary>
    public string? Error { get; }

    /// <summary>Whether there is an error in place of the reply.</summary>
    public bool IsError => Error is not null;

    /// <summary>The reply.</summary>
    /// <exception cref="ResponderFailedException">There is an error in its place.</exception>
    public TReply Value => Error is null ? _value! : throw new ResponderFailedException(Member, Error);

    /// <summary>Name of the member and its answer, for logs. Allocates.</summary>
    public override string ToString() => Error is null
        ? string.Create(CultureInfo.InvariantCulture, $"{Member.Name}: {_value}")
        : $"{Member.Name} has answered with an error: {Error}";
}
