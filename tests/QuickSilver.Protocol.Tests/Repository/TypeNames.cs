using System.Collections.Immutable;
using System.Reflection.Metadata;
using Names = System.Collections.Immutable.ImmutableArray<string>;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>
/// Turns handles and signatures into the full names of the types they mention, outermost types for nested ones, and reports every one. An array,
/// pointer or generic instance mentions its parts.
/// </summary>
internal sealed class TypeNames(MetadataReader metadata, Action<string> report) : ISignatureTypeProvider<Names, object?>
{
    public Names Of(EntityHandle handle) => handle.Kind switch
    {
        HandleKind.TypeDefinition => GetTypeFromDefinition(metadata, (TypeDefinitionHandle)handle, 0),
        HandleKind.TypeReference => GetTypeFromReference(metadata, (TypeReferenceHandle)handle, 0),
        HandleKind.TypeSpecification => GetTypeFromSpecification(metadata, null, (TypeSpecificationHandle)handle, 0),
        _ => [],
    };

    public string OutermostOf(TypeDefinitionHandle handle)
    {
        TypeDefinition type = metadata.GetTypeDefinition(handle);
        TypeDefinitionHandle outer = type.GetDeclaringType();
        return outer.IsNil ? Join(type.Namespace, type.Name) : OutermostOf(outer);
    }

    public Names GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => Reported(OutermostOf(handle));

    public Names GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind)
    {
        TypeReference type = metadata.GetTypeReference(handle);
        return type.ResolutionScope.Kind == HandleKind.TypeReference
            ? GetTypeFromReference(reader, (TypeReferenceHandle)type.ResolutionScope, rawTypeKind)
            : Reported(Join(type.Namespace, type.Name));
    }

    public Names GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        metadata.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    // Only the definition of a generic instance stands for a member's owner; its arguments have been reported when they were decoded.
    public Names GetGenericInstantiation(Names genericType, ImmutableArray<Names> typeArguments) => genericType;

    public Names GetFunctionPointerType(MethodSignature<Names> signature) => [];

    public Names GetPrimitiveType(PrimitiveTypeCode typeCode) => Reported("System." + typeCode);

    public Names GetGenericMethodParameter(object? genericContext, int index) => [];

    public Names GetGenericTypeParameter(object? genericContext, int index) => [];

    public Names GetModifiedType(Names modifier, Names unmodifiedType, bool isRequired) => unmodifiedType;

    public Names GetArrayType(Names elementType, ArrayShape shape) => elementType;

    public Names GetSZArrayType(Names elementType) => elementType;

    public Names GetByReferenceType(Names elementType) => elementType;

    public Names GetPointerType(Names elementType) => elementType;

    public Names GetPinnedType(Names elementType) => elementType;

    private string Join(StringHandle space, StringHandle name) => space.IsNil
        ? metadata.GetString(name)
        : $"{metadata.GetString(space)}.{metadata.GetString(name)}";

    private Names Reported(string name)
    {
        report(name);
        return [name];
    }
}
